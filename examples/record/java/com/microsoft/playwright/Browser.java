package com.microsoft.playwright;

/** The browser that server.js holds. */
public final class Browser {
    /** Accepted; server.js knows the shop's address itself. */
    public static final class NewPageOptions {
        public NewPageOptions setBaseURL(String url) {
            return this;
        }
    }

    public Page newPage(NewPageOptions options) {
        return new Page(Driver.call("open"));
    }
}
