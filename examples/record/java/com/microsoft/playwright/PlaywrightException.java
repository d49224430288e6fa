package com.microsoft.playwright;

/** A browser call that failed. */
public class PlaywrightException extends RuntimeException {
    PlaywrightException(String message) {
        super(message);
    }
}
