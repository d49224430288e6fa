package shop;

import com.microsoft.playwright.*;

class Fixtures {
  Page page;

  @BeforeEach
  void open() {
    page.getByTestId("splash-close").click();
  }
}
