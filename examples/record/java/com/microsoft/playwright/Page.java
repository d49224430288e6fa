package com.microsoft.playwright;

/** A page that server.js holds. */
public final class Page {
    private final String id;

    Page(String id) {
        this.id = id;
    }

    public void navigate(String url) {
        Driver.call("goto", "page", id, "url", url);
    }

    public Locator locator(String selector) {
        StackTraceElement caller = new Throwable().getStackTrace()[1];
        return new Locator(id, selector, caller);
    }
}
