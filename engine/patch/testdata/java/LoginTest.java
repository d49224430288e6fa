package shop;

import com.microsoft.playwright.*;
import com.microsoft.playwright.options.AriaRole;
import org.junit.jupiter.api.*;

class LoginTest {
  private static final String LOGIN = "#login-constant";
  Page page;

  @BeforeEach
  void open() {
    page.getByText("Accept cookies").click();
  }

  @Test
  void signsIn() {
    page.locator("#login-btn").click();
    page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in")).click();
    page.getByRole(AriaRole.TEXTBOX,
        new Page.GetByRoleOptions()
            .setExact(true)
            .setName("E-mail"))
        .fill("ann@shop.example");
    page.getByTestId("welcome").waitFor();
    page.locator("""
        #text-block""").click();
    char quote = '"';
    page.locator("[data-test='tab']").click();
    page.locator(String.format("#fmt-%s", "x")).click();
    page.locator("#a" + 1).click();
  }

  @Test
  @DisplayName("buys a pair")
  void buys() {
    page.locator("#buy").click();
    page.locator(".row").filter(new Locator.FilterOptions().setHasText("Blue")).click();
    page.locator(true ? "#one" : "#two").click();
    /* page.locator("#commented") */
    page.getByLabel("Twice").click();
    page.getByLabel("Twice").fill("x");
  }

  @ParameterizedTest
  @ValueSource(strings = {"#in-annotation"})
  void sizes(String size) {
    page.locator("#size-picker").selectOption(size);
    page.locator("#login-btn").hover();
  }
}
