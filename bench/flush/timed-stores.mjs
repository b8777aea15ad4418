import { createServer } from 'node:http';
import process from 'node:process';
import { engagement } from './sent-mail.mjs';

/** GET /COUNT on PORT calls `store` with this number of events of the mail, and returns the seconds that it took. */
export function timeStores(mail, store) {
  createServer((request, response) => {
    const events = engagement(mail, Number(request.url.slice(1)));
    const startedAt = process.hrtime.bigint();
    store(events).then(
      () => response.end(String(Number(process.hrtime.bigint() - startedAt) / 1e9)),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(Number(process.env.PORT), '127.0.0.1');
}
