import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';

// The limit: responds to an open or a click with the same bytes as the tracking edge, and stores nothing.
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICTAEAOw==', 'base64').toString('latin1');
const PIXEL_HEADERS = {
  'Content-Type': 'image/gif',
  'Content-Length': '43',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': '019aa4b2-0e2d-7cc3-98c4-dc0c0c07398f',
};
const REDIRECT_HEADERS = {
  'Content-Length': '0',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Request-Id': '019aa4b2-0e2d-7cc3-98c4-dc0c0c07398f',
  Location: process.env.LOCATION,
};

createServer((request, response) => {
  if (request.url.startsWith('/api/t/o/')) {
    response.writeHead(200, PIXEL_HEADERS);
    response.end(PIXEL, 'latin1');
  } else {
    response.writeHead(302, REDIRECT_HEADERS);
    response.end();
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
