import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import process from 'node:process';

/** Answers each POST on PORT with the JSON that `send` makes of its JSON, and any GET once it is there. */
export function answerPosts(send) {
  createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'GET') return response.end('ready');
      send(JSON.parse(Buffer.concat(chunks).toString())).then(
        (answer) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer)),
        (error) => response.writeHead(500).end(String(error)),
      );
    });
  }).listen(Number(process.env.PORT), '127.0.0.1');
}
