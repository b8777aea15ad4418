import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

// Accepts what it is sent as SendGrid does, after DELAY_MS. GET / says that it is there.
const delay = Number(process.env.DELAY_MS);
let accepted = 0;
createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.method === 'GET') return response.end(String(accepted));
    const answer = () => response.writeHead(202, { 'X-Message-Id': `stub-${++accepted}` }).end();
    if (delay === 0) answer();
    else void setTimeout(delay).then(answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
