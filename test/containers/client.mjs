import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { generate } from 'selfsigned';

// client.mjs STEP [NAME]: one step of a client, inside the engine's network. The steps share files in WORK.
const file = (name) => `${process.env.WORK}/state/${name}.json`;
const recall = (name) => JSON.parse(readFileSync(file(name), 'utf8'));
const note = (name, value) => writeFileSync(file(name), JSON.stringify(value));

async function call(path, body, { address = 'http://localhost:3000', ...headers } = {}) {
  const response = await fetch(`${address}/api/${path}`, {
    method: body ? 'POST' : 'GET',
    body: body && JSON.stringify(body),
    headers: { 'x-api-key': recall('organization').apiKey, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(30_000),
  });
  return { status: response.status, body: await response.json() };
}

const send = (subject, more) => call('send', email(subject), more);
const email = (subject) => ({
  from: 'Ada <ada@acme.example>',
  to: 'reader@example.com',
  subject,
  campaignId: 'containers',
  htmlContent: '<p><a href="https://example.com/start">Start</a></p>',
});

async function inbox() {
  const messages = await (await fetch('http://127.0.0.1:1080/email')).json();
  return Map.groupBy(messages, ({ subject }) => subject);
}

/** Limits the number of checks rather than the time, because the machine may be busy. */
async function until(condition, checks = 1200) {
  for (let check = 0; check < checks; check++) {
    if (await condition()) return;
    await delay(100);
  }
  throw new Error(`timeout: ${condition}`);
}

async function open({ pixelUrl, links }) {
  equal((await fetch(pixelUrl)).status, 200);
  const click = await fetch(links[0].trackingUrl, { redirect: 'manual' });
  equal(click.headers.get('location'), 'https://example.com/start');
}

async function counts(emailTrackingId) {
  const { opens, clicks } = (await call(`emails/${emailTrackingId}`)).body;
  return [opens, clicks];
}

/** A load balancer: calls the ready replicas in turn. A call without a replica fails and is not repeated. */
class Balancer {
  failures = [];
  #turn = 0;
  #ready = [];

  /** @param role whose replicas it calls */
  constructor(role) {
    this.role = role;
  }

  get addresses() {
    return recall('replicas')[this.role];
  }

  async check() {
    const isReady = (address) =>
      fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    // Replicas start and end, and another role may get the address of an ended one.
    const { addresses } = this;
    const ready = await Promise.all(addresses.map(isReady));
    this.#ready = addresses.filter((_, index) => ready[index]);
  }

  async use(request) {
    const address = this.#ready[this.#turn++ % this.#ready.length];
    try {
      return await request(address);
    } catch (error) {
      this.failures.push(`${address}: ${error.cause?.message ?? error.message}`);
      return undefined;
    }
  }
}

const steps = {
  async send(name) {
    const { status, body } = await send(name);
    equal(status, 200);
    note(name, body);
    await until(async () => (await inbox()).get(name)?.length === 1);
    await open(body);
    await until(async () => String(await counts(body.emailTrackingId)) === '1,1');
  },
  /** Checks that an email of the earlier version still exists with its counts, and that its links work and count. */
  async continue(name) {
    const sent = recall(name);
    const [opens, clicks] = await counts(sent.emailTrackingId);
    ok(opens >= 1 && clicks >= 1);
    await open(sent);
    await until(async () => String(await counts(sent.emailTrackingId)) === String([opens + 1, clicks + 1]));
  },
  async accept(name) {
    const { status, body } = await send(name);
    equal(status, 202);
    note(name, body);
  },
  async arrive(name) {
    await until(async () => (await inbox()).get(name)?.length === 1);
    await until(async () => (await call(`emails/${recall(name).emailTrackingId}`)).body.status === 'sent');
  },
  /** Makes a certificate that the user of the containers can read. */
  async certificate(directory) {
    mkdirSync(directory, { recursive: true });
    const { cert, private: key } = generate([{ name: 'commonName', value: 'localhost' }], {
      algorithm: 'sha256',
      keySize: 2048,
    });
    writeFileSync(`${directory}/fullchain.pem`, cert);
    writeFileSync(`${directory}/privkey.pem`, key);
  },
  /** Sends over SMTP with the key as password. */
  async submit(name) {
    const auth = { user: 'mailbeacon', pass: recall('organization').apiKey };
    const tls = { rejectUnauthorized: false };
    const transport = createTransport({ host: 'localhost', port: 587, requireTLS: true, auth, tls });
    const { from, to, subject, htmlContent: html } = email(name);
    const { response } = await transport.sendMail({ from, to, subject, html });
    transport.close();
    ok(response.startsWith('250 2.0.0 Queued as '), response);
    await until(async () => (await inbox()).get(name)?.length === 1);
    const [{ html: arrived }] = (await inbox()).get(name);
    ok(arrived.includes('http://localhost:3001/api/t/c/'), arrived);
  },
  async closed(port) {
    await fetch(`http://localhost:${port}/metrics`).then(
      () => ok(false, `${port} is open`),
      () => undefined,
    );
  },
  /** Sends, opens and clicks until the file "stop" appears; then everything must have arrived once and been counted. */
  async traffic(name) {
    const [balancer, edge] = [new Balancer('api'), new Balancer('tracking')];
    const sent = [];
    let opened = 0;
    const isStopped = () => existsSync(file('stop'));
    const checks = (async () => {
      while (!isStopped()) {
        await Promise.all([balancer.check(), edge.check()]);
        await delay(500);
      }
    })();
    await Promise.all([balancer.check(), edge.check()]);
    for (let number = 0; !isStopped(); number++) {
      const subject = `${name}-${number}`;
      const response = await balancer.use((address) => send(subject, { address, 'idempotency-key': subject }));
      if (response) {
        ok([200, 202].includes(response.status), JSON.stringify(response));
        sent.push({ subject, id: response.body.emailTrackingId });
        const pixel = await edge.use((address) => fetch(`${address}/api/t/o/${response.body.emailTrackingId}`));
        if (pixel?.status === 200) opened++;
      }
      await delay(100);
    }
    await checks;
    deepEqual([...balancer.failures, ...edge.failures], []);
    ok(sent.length > 50, `only ${sent.length} emails were sent`);
    await until(async () => {
      const messages = await inbox();
      return sent.every(({ subject }) => messages.has(subject));
    });
    const messages = await inbox();
    deepEqual(
      sent.filter(({ subject }) => messages.get(subject).length !== 1),
      [],
    );
    const [address] = balancer.addresses;
    let counted;
    await until(async () => {
      const details = await Promise.all(sent.map(({ id }) => call(`emails/${id}`, undefined, { address })));
      counted = details.reduce((total, { body }) => total + body.opens, 0);
      return counted === opened && details.every(({ body }) => body.status === 'sent');
    });
    console.log(`${sent.length} emails, each once; ${counted} of ${opened} opens counted; no request failed`);
  },
};

await steps[process.argv[2]](process.argv[3]);
