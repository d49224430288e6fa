package shop.pages;

import static shop.support.Selectors.RESULTS;

import com.microsoft.playwright.*;
import shop.support.Selectors;

public class SearchPage extends BasePage {
  private final String clear = "button.clear";
  private static final String HELP = """
      #help""";
  private final Locator filters;

  public SearchPage(Page page) {
    super(page);
    filters = page.locator("aside.filters");
  }

  public void search(String text) {
    page.locator(Selectors.SEARCH).fill(text);
    page.locator(RESULTS).waitFor();
    page.locator(clear).click();
    page.locator(HELP).click();
    Report.note(Selectors.LOGGED);
    page.locator(Selectors.LOGGED).click();
    page.locator(String.format("#hit-%s", text)).click();
    page.locator("#pre-" + text).click();
  }

  public Locator price() {
    return filters.getByLabel("Price range", new Locator.GetByLabelOptions().setExact(true));
  }

  public Locator hit(int n) {
    return page
        .locator(".hit")
        .filter(new Locator.FilterOptions().setHasText("In stock"))
        .nth(n);
  }

  public void block() {
    page.locator("""
        #text-block""").click();
  }
}
