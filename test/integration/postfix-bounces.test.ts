import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { TestService } from '../support/service.js';

/**
 * A folder with the files of Debian's package: apt-get download postfix; dpkg -x postfix_*.deb FOLDER. Needs root,
 * because Postfix changes its user.
 */
const POSTFIX = process.env.POSTFIX_ROOT;
const MAIL_UID = 8;
const UTMP_GID = 43;
const QUEUES = 'active bounce corrupt defer deferred flush hold incoming maildrop pid private public saved trace'.split(
  ' ',
);
const SERVICES = [
  ...['pickup unix n - n 1 1 pickup', 'cleanup unix n - n - 0 cleanup', 'qmgr unix n - n 300 1 qmgr'],
  ...['rewrite unix - - n - - trivial-rewrite', 'bounce unix - - n - 0 bounce', 'defer unix - - n - 0 bounce'],
  ...['trace unix - - n - 0 bounce', 'smtp unix - - n - - smtp', 'relay unix - - n - - smtp'],
  ...['error unix - - n - - error', 'retry unix - - n - - error', 'anvil unix - - n - 1 anvil'],
  ...['proxymap unix - - n - - proxymap', 'scache unix - - n - 1 scache', 'flush unix n - n 1000 0 flush'],
];

interface Relay {
  readonly port: number;
  /** The port to which it relays mail for all domains, and the port for the bounce domain. */
  readonly next: number;
  readonly bounces: number;
}

/** Writes the files of a separate instance, and starts it in the foreground. */
async function startPostfix(folder: string, { port, next, bounces }: Relay): Promise<ChildProcess> {
  const [config, queue, data] = ['conf', 'queue', 'data'].map((name) => join(folder, name)) as [string, string, string];
  await chmod(folder, 0o755);
  for (const path of [config, queue, data, ...QUEUES.map((name) => join(queue, name))]) {
    await mkdir(path);
    if (path !== config && path !== queue && !path.endsWith('/pid')) await chown(path, MAIL_UID, UTMP_GID);
  }
  const libraries = `${POSTFIX}/usr/lib/postfix`;
  const settings = {
    compatibility_level: '3.6',
    queue_directory: queue,
    data_directory: data,
    daemon_directory: `${libraries}/sbin`,
    command_directory: `${POSTFIX}/usr/sbin`,
    meta_directory: config,
    shlib_directory: libraries,
    mail_owner: 'mail',
    setgid_group: 'utmp',
    import_environment: 'MAIL_CONFIG LD_LIBRARY_PATH TZ',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    myhostname: 'mx.example.net',
    mydestination: '',
    alias_maps: '',
    local_recipient_maps: '',
    smtp_host_lookup: 'native',
    smtp_dns_support_level: 'disabled',
    relayhost: `[127.0.0.1]:${next}`,
    transport_maps: `inline:{ bounces.example.com=smtp:[127.0.0.1]:${bounces} }`,
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(config, 'main.cf'), lines.join(''));
  await writeFile(join(config, 'master.cf'), [`127.0.0.1:${port} inet n - n - - smtpd`, ...SERVICES, ''].join('\n'));
  const env = { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: libraries, MAIL_CONFIG: config };
  return spawn(`${libraries}/sbin/master`, ['-d', '-c', config], { env, stdio: 'ignore', detached: true });
}

const describeWithPostfix = POSTFIX === undefined ? describe.skip : describe;

describeWithPostfix('a real mail server (set POSTFIX_ROOT to the files of the package)', () => {
  it('returns a real bounce to the listener, and the bounce is counted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mailbeacon-postfix-'));
    const receiver = await SmtpStub.listen();
    receiver.scripts.add('gone@example.net', { phase: 'rcpt', reply: '550 5.1.1 <gone@example.net>: User unknown' });
    const port = await freePort(20_000 + (process.pid % 20_000));
    const environment = {
      BOUNCE_DOMAIN: 'bounces.example.com',
      BOUNCE_SMTP_PORT: '0',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    };
    const service = await TestService.start({ environment });
    const relay = { port, next: Number(new URL(receiver.url).port), bounces: service.settings.BOUNCE_SMTP_PORT! };
    const postfix = await startPostfix(folder, relay);
    try {
      const client = await service.organization();
      const email = { from: 'shop@acme.example', to: 'gone@example.net', subject: 'News', htmlContent: '<p>x</p>' };
      const sent = await client.post<SendResponse>('/api/send', email);
      expect([200, 202]).toContain(sent.status);
      const [bounce] = await eventually(async () => {
        const rows = await service.database.query<{ type: string; bounce: string; smtp_status: string }>(
          'select type, bounce, smtp_status, reason from delivery_events where organization_id = $1',
          [client.organizationId],
        );
        return rows.length > 0 && rows;
      });
      expect(bounce).toMatchObject({ type: 'bounced', bounce: 'hard', smtp_status: '5.1.1' });
      const suppressed = await service.database.query('select address_key, reason from suppressions');
      expect(suppressed).toEqual([{ address_key: 'gone@example.net', reason: 'bounce' }]);
    } finally {
      process.kill(-postfix.pid!);
      await service.stop();
      await receiver.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
