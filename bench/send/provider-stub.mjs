import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

// Accepts every email after DELAY_MS, as SendGrid does. GET / returns the number of accepted emails.
const delay = Number(process.env.DELAY_MS);
let accepted = 0;
createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.method === 'GET') return response.end(String(accepted));
    const accept = () => response.writeHead(202, { 'X-Message-Id': `stub-${++accepted}` }).end();
    if (delay === 0) accept();
    else void setTimeout(delay).then(accept);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
