package com.microsoft.playwright;

/** The few calls of Playwright that the example's tests use. */
public final class Playwright {
    private Playwright() {}

    public static Playwright create() {
        return new Playwright();
    }

    public BrowserType chromium() {
        return new BrowserType();
    }

    public void close() {}
}
