import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/**
 * A GIF89a of one transparent pixel. As a text, in which each character is one byte, because Node sends headers and
 * a text in one write, but headers and a Buffer in a costlier gathering one.
 */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==', 'base64').toString('latin1');

const STYLE =
  'body{font:18px/1.6 system-ui,sans-serif;max-width:32em;margin:15vh auto;padding:0 1em;color-scheme:light dark}';
const BAD_LINK_PAGE = Buffer.from(
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>This link does not work</title>
<style>${STYLE}</style>
<h1>This link does not work</h1>
<p>The address is incomplete or was changed on its way. Please go back to the email and click the link there again,
or copy it as a whole.</p>
</html>
`,
);
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const METHOD_NOT_ALLOWED = Buffer.from(JSON.stringify({ error: 'Method not allowed' }));

/** Names and values in turn, which Node takes as they are; the request id completes each list. */
const PIXEL_HEADERS = [
  ...['Content-Type', 'image/gif'],
  ...['Content-Length', String(PIXEL.length)],
  ...['Cache-Control', 'no-store'],
  // Webmail shows the picture inside pages that may be isolated from other origins.
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
  ...['X-Content-Type-Options', 'nosniff'],
  'X-Request-Id',
];
const REDIRECT_HEADERS = [
  ...['Content-Length', '0'],
  ...['Cache-Control', 'no-store'],
  ...['Referrer-Policy', 'no-referrer'],
  'X-Request-Id',
];

/** To a HEAD request, Node sends the headers alone. */
export function answerPixel(response: ServerResponse, requestId: string): void {
  response.writeHead(200, PIXEL_HEADERS.concat(requestId));
  response.end(PIXEL, 'latin1');
}

/** @param location what a header can carry: ASCII without control characters */
export function answerRedirect(response: ServerResponse, requestId: string, location: string): void {
  response.writeHead(302, REDIRECT_HEADERS.concat(requestId, 'Location', location));
  response.end();
}

export function answerBadLink(response: ServerResponse, requestId: string): void {
  response.writeHead(404, [
    ...['Content-Type', 'text/html; charset=utf-8'],
    ...['Content-Length', String(BAD_LINK_PAGE.length)],
    ...['Cache-Control', 'no-store'],
    ...['Content-Security-Policy', PAGE_POLICY],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['X-Request-Id', requestId],
  ]);
  response.end(BAD_LINK_PAGE);
}

/** RFC 9110, 15.5.6. Closes the connection, so that a body that nobody reads is not waited for. */
export function answerMethodNotAllowed(response: ServerResponse, requestId: string): void {
  response.writeHead(405, [
    ...['Allow', 'GET, HEAD'],
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', String(METHOD_NOT_ALLOWED.length)],
    ...['Cache-Control', 'no-store'],
    ...['Connection', 'close'],
    ...['X-Request-Id', requestId],
  ]);
  response.end(METHOD_NOT_ALLOWED);
}
