import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';

/**
 * Listens on PORT. Calls `send` with the JSON of each POST and responds with its result; responds to any
 * GET when ready.
 */
export function servePosts(send) {
  createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') return response.end('ready');
      send(JSON.parse(Buffer.concat(chunks).toString())).then(
        (result) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result)),
        (error) => response.writeHead(500).end(String(error)),
      );
    });
  }).listen(Number(process.env.PORT), '127.0.0.1');
}
