import { createHash } from 'node:crypto';
import { StaticResponse } from '../../platform/http/fast-path/static-response.js';

/** A GIF89a of one transparent pixel, as a text with one byte per character. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==', 'base64').toString('latin1');

const STYLE =
  'body{font:18px/1.6 system-ui,sans-serif;max-width:32em;margin:15vh auto;padding:0 1em;color-scheme:light dark}';
const BAD_LINK_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>This link does not work</title>
<style>${STYLE}</style>
<h1>This link does not work</h1>
<p>The address is incomplete or was changed on its way. Please go back to the email and click the link there again,
or copy it as a whole.</p>
</html>
`;
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const METHOD_NOT_ALLOWED = JSON.stringify({ error: 'Method not allowed' });

/** The request ID is added to each response, and the `Location` header to the redirect. */
export const PIXEL_RESPONSE = new StaticResponse(
  200,
  [
    ...['Content-Type', 'image/gif'],
    ...['Content-Length', String(PIXEL.length)],
    ...['Cache-Control', 'no-store'],
    // Webmail pages that embed the image may be cross-origin isolated.
    ...['Cross-Origin-Resource-Policy', 'cross-origin'],
    ...['X-Content-Type-Options', 'nosniff'],
  ],
  PIXEL,
);

export const REDIRECT_RESPONSE = new StaticResponse(302, [
  ...['Content-Length', '0'],
  ...['Cache-Control', 'no-store'],
  ...['Referrer-Policy', 'no-referrer'],
]);

export const BAD_LINK_RESPONSE = new StaticResponse(
  404,
  [
    ...['Content-Type', 'text/html; charset=utf-8'],
    ...['Content-Length', String(BAD_LINK_PAGE.length)],
    ...['Cache-Control', 'no-store'],
    ...['Content-Security-Policy', PAGE_POLICY],
    ...['Referrer-Policy', 'no-referrer'],
    ...['X-Content-Type-Options', 'nosniff'],
  ],
  BAD_LINK_PAGE,
);

/** RFC 9110, 15.5.6. Closes the connection, because the request body is not read. */
export const METHOD_NOT_ALLOWED_RESPONSE = new StaticResponse(
  405,
  [
    ...['Allow', 'GET, HEAD'],
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', String(METHOD_NOT_ALLOWED.length)],
    ...['Cache-Control', 'no-store'],
    ...['Connection', 'close'],
  ],
  METHOD_NOT_ALLOWED,
);
