package shop.support;

public final class Selectors {
  public static final String SEARCH = "input[name='q']";
  public static final String RESULTS = "#results";
  static final String UNUSED = "#unused";
  public static final String LOGGED = "#logged";
  private Selectors() {}
}
