import { Buffer } from 'node:buffer';
import console from 'node:console';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL, URL } from 'node:url';

// ClickHouse's engine behind as much of its HTTP interface as the client needs: node clickhouse-server.mjs ENGINE DATA
// PORT It ends when the process that started it is gone.
const [, , engine, data, port] = process.argv;
const { Session } = await import(pathToFileURL(join(engine, 'index.mjs')).href);
process.on('disconnect', () => process.exit(0));
const session = new Session(data);
session.query('create database if not exists events');
session.query('use events');

/** The engine has one session, and parameters are part of it. */
let last = Promise.resolve();

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const result = last.then(() => execute(new URL(request.url, 'http://engine'), Buffer.concat(chunks).toString()));
    last = result.catch(() => undefined);
    result.then(
      (text) => response.end(text),
      (error) => response.writeHead(500, { 'X-ClickHouse-Exception-Code': '1' }).end(String(error.message)),
    );
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`port ${server.address().port}`));

async function execute(url, body) {
  if (url.pathname === '/ping') return 'Ok.\n';
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) await session.queryAsync(`set ${name} = '${value.replace(/[\\']/g, '\\$&')}'`);
  }
  const query = url.searchParams.get('query');
  const result = await session.queryAsync(query === null ? body : `${query}\n${body}`, { format: 'JSONEachRow' });
  return result.text();
}
