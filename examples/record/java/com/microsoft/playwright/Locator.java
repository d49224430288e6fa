package com.microsoft.playwright;

/** A locator of a page that server.js holds. */
public final class Locator {
    private final String page;
    private final String selector;
    private final StackTraceElement site;

    Locator(String page, String selector, StackTraceElement site) {
        this.page = page;
        this.selector = selector;
        this.site = site;
    }

    public void click() {
        act("click");
    }

    public void check() {
        act("check");
    }

    public String innerText() {
        return Driver.call("read", "page", page, "selector", selector, "what", "innerText");
    }

    public String inputValue() {
        return Driver.call("read", "page", page, "selector", selector, "what", "inputValue");
    }

    private void act(String action) {
        String folder = "java/src/test/java/" + site.getClassName().replaceAll("[^.]+$", "").replace('.', '/');
        Driver.call("act", "page", page, "selector", selector, "action", action, "runner", "junit",
                "test", site.getClassName() + " › " + site.getMethodName() + "()",
                "file", folder + site.getFileName(), "line", String.valueOf(site.getLineNumber()));
    }
}
