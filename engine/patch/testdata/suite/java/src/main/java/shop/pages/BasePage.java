package shop.pages;

import com.microsoft.playwright.*;

public abstract class BasePage {
  protected final Page page;

  protected BasePage(Page page) { this.page = page; }

  public void acceptCookies() {
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Accept all")).click();
  }
}
