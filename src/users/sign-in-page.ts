import type { FastifyInstance, FastifyReply } from 'fastify';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mailbeacon</title>
<link rel="icon" href="data:,">
<main>
<h1>Mailbeacon</h1>
<form>
<p><label>Email address <input name="email" type="email" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><label>Code, if you have a second factor <input name="code" autocomplete="one-time-code"></label></p>
<p><button>Sign in</button></p>
</form>
<p role="status"></p>
</main>
<script src="/sign-in.js"></script>
</html>
`;

/** A link signs in only after a click: programs that open links in mail must not use them up. */
const SCRIPT = `'use strict';
const token = new URLSearchParams(location.hash.slice(1)).get('token');
const setsPassword = location.pathname === '/set-password';
const form = document.querySelector('form');
const field = (name) => form.elements.namedItem(name);
const hide = (name) => { field(name).closest('p').hidden = true; };
if (token) history.replaceState(null, '', location.pathname);
if (token || setsPassword) hide('email');
if (setsPassword) hide('code');
if (token && !setsPassword) hide('password');
if (setsPassword) {
  field('password').autocomplete = 'new-password';
  form.querySelector('button').textContent = 'Set password';
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const typed = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
  const response = await fetch(setsPassword ? '/api/session/password' : '/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'mailbeacon' },
    body: JSON.stringify(token ? { ...typed, token } : typed),
  });
  const body = response.status === 204 ? {} : await response.json();
  const status = document.querySelector('[role=status]');
  if (!response.ok) status.textContent = body.error;
  else if (setsPassword) location.assign('/sign-in');
  else {
    form.hidden = true;
    status.textContent = 'Signed in as ' + body.user.email + ' (' + body.organization.name + ')';
  }
});
`;

/** Only our own script, and no address that another page could frame or read. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Serves the page of sign-in links and of links that set a password. */
export function serveSignInPage(fastify: FastifyInstance): void {
  const page = (_request: unknown, reply: FastifyReply): FastifyReply =>
    reply.headers(HEADERS).type('text/html; charset=utf-8').send(PAGE);
  fastify.get('/sign-in', page);
  fastify.get('/set-password', page);
  fastify.get('/sign-in.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT));
}
