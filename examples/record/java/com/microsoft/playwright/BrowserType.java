package com.microsoft.playwright;

/** Launches the browser that server.js holds. */
public final class BrowserType {
    public Browser launch() {
        return new Browser();
    }
}
