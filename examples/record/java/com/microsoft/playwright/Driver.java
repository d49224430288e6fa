package com.microsoft.playwright;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Sends calls to server.js; Debian has no Playwright for Java. */
final class Driver {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Driver() {}

    /** Calls verb with fields given as name, value, name, value. */
    static String call(String verb, String... fields) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            body.append(fields[i]).append('=').append(URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8)).append('&');
        }
        URI uri = URI.create(System.getenv("SHOP_URL") + "/driver/" + verb);
        HttpRequest request = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body.toString())).build();
        try {
            HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new PlaywrightException(response.body());
            }
            return response.body();
        } catch (IOException | InterruptedException fault) {
            throw new PlaywrightException(fault.toString());
        }
    }
}
