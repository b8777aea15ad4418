import { cp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createAPIServer } from '@maildev/api';
import { FileStorage } from '@maildev/core';
import { createSMTPServer } from '@maildev/smtp';
import { registerUI } from '@maildev/ui/server';
import { reportOn } from './mailbox-simulator.mjs';

// The program of the development inbox, assembled from MailDev's parts:
// node dist/inbox/main.js SMTP_PORT WEB_PORT DIRECTORY

const KEPT_MAILS = 1_000;
const LOOPBACK = '127.0.0.1';
const OWN_NAMES = new Set(['localhost', LOOPBACK, '[::1]']);
/**
 * The content of a mail runs no script and does not have the inbox's origin, even when it is opened in a separate
 * window.
 */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; script-src 'none'; object-src 'none'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
const PAGE_POLICY = "script-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";
const [smtpPort, webPort, directory] = process.argv.slice(2);

const mailDirectory = join(directory, 'mails');
const storage = new FileStorage({ mailDirectory, maxEmails: KEPT_MAILS });
await storage.initialize();
const smtp = createSMTPServer({
  host: LOOPBACK,
  port: Number(smtpPort),
  storage,
  mailDir: mailDirectory,
  logger: false,
});
smtp.on('new', (mail) => void reportOn(mail, join(directory, 'bounce-port')));
await smtp.pruneMailDir(KEPT_MAILS);
await smtp.loadMailsFromDirectory();
await smtp.start();
// Without CORS, so that other pages in the same browser cannot read these mails.
const web = createAPIServer({ host: LOOPBACK, port: Number(webPort), storage, smtp, cors: { origin: false } });
guardWeb();
await web.registerPlugins();
guardSocket();
await registerUI(web.server, { distPath: await pageThatOpensLinks(join(directory, 'page')) });
await web.listen();
await announce({ pid: process.pid, smtpPort: Number(smtpPort), webPort: Number(webPort) });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0)); // mails are on disk

/**
 * Signals to src/embedded/inbox.ts that this process listens. Renamed into place, so that no process reads a partial
 * file.
 */
async function announce(endpoint) {
  const file = join(directory, 'endpoint.json');
  await writeFile(`${file}.new`, JSON.stringify(endpoint), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Refuses other host names: a page whose own name resolves to this machine (DNS rebinding) could read the mails. */
function guardWeb() {
  web.server.addHook('onRequest', async (request, reply) => {
    const [path] = request.raw.url.split('?', 1);
    reply.header('content-security-policy', /^\/api(\/|$)/.test(path) ? MAIL_POLICY : PAGE_POLICY);
    reply.header('x-content-type-options', 'nosniff');
    if (isOwnName(request.headers.host)) return undefined;
    return reply.status(403).send({ error: 'The inbox responds only to localhost, 127.0.0.1 and [::1]' });
  });
}

/** Browsers let any page open a WebSocket to any host: only the inbox's own page may. */
function guardSocket() {
  web.io.engine.opts.allowRequest = ({ headers: { host, origin } }, decide) =>
    decide(null, isOwnName(host) && (origin === undefined || origin === `http://${host}`));
}

function isOwnName(host = '') {
  return OWN_NAMES.has(host.toLowerCase().replace(/:\d+$/, ''));
}

/**
 * MailDev shows a mail in a frame that may not open windows, so that links with target="_blank", which most newsletters
 * have, do nothing when clicked. Its page is served from a copy whose frame may.
 */
async function pageThatOpensLinks(copy) {
  const original = join(dirname(fileURLToPath(import.meta.resolve('@maildev/ui/server'))), '..', 'dist');
  await rm(copy, { recursive: true, force: true });
  await cp(original, copy, { recursive: true });
  const scripts = (await readdir(join(copy, 'assets'))).filter((name) => name.endsWith('.js'));
  for (const file of scripts.map((name) => join(copy, 'assets', name))) {
    const code = await readFile(file, 'utf8');
    const mayOpenLinks = 'sandbox:"allow-same-origin allow-popups allow-popups-to-escape-sandbox"';
    await writeFile(file, code.replaceAll('sandbox:"allow-same-origin"', mayOpenLinks));
  }
  return copy;
}
