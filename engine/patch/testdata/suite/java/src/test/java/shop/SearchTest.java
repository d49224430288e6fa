package shop;

import com.microsoft.playwright.*;
import org.junit.jupiter.api.*;
import shop.pages.*;

class SearchTest extends Fixtures {
  private static final String CHIP = ".chip";

  @Test
  void findsShoes() {
    SearchPage search = new SearchPage(page);
    search.acceptCookies();
    search.search("shoes");
    page.locator(CHIP).click();
    String sort = "#sort";
    page.locator(sort).click();
    page.getByText("Blue shoe").click();
  }

  @ParameterizedTest
  @ValueSource(strings = {"hat", "coat"})
  void other(String what) {
    page.getByText("Other only").click();
  }
}
