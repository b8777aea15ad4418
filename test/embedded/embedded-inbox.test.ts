import { readFile, readdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { startInbox, type RunningInbox } from '../../src/embedded/inbox.js';
import { isRunning } from '../../src/embedded/server-process.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

const html = '<p>Hello <a href="http://localhost:3000/api/t/c/x" target="_blank">there</a></p>';

interface Mail {
  readonly id: string;
  readonly subject: string;
  readonly attachments?: readonly { generatedFileName: string }[];
}

async function mailsIn(inbox: RunningInbox): Promise<Mail[]> {
  const response = await fetch(`${inbox.webUrl}/api/email`);
  return (await response.json()) as Mail[];
}

describe('startInbox', () => {
  it('takes mail by SMTP, shows its HTML and keeps it from start to start', async () => {
    await inTemporaryDirectory(async (directory) => {
      const log = join(directory, 'inbox.log');
      const first = await startInbox(join(directory, 'inbox'), log);
      const transport = createTransport(first.smtpUrl);
      await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: 'Kept', html });
      transport.close();
      const again = await startInbox(join(directory, 'inbox'), log);
      expect(again.pid).toBe(first.pid);
      await first.stop();

      const second = await startInbox(join(directory, 'inbox'), log);
      const [mail] = await mailsIn(second);
      expect(mail?.subject).toBe('Kept');
      const shown = await (await fetch(`${second.webUrl}/api/email/${mail?.id}/html`)).text();
      expect(shown).toContain('href="http://localhost:3000/api/t/c/x"');
      await second.stop();
    });
  });

  it('leaves no earlier inbox running that does not respond', async () => {
    await inTemporaryDirectory(async (directory) => {
      const start = () => startInbox(join(directory, 'inbox'), join(directory, 'inbox.log'));
      const first = await start();
      process.kill(first.pid, 'SIGSTOP');
      const second = await start();
      await second.stop();
      expect(isRunning(first.pid)).toBe(false);
    });
  });

  it('ends a start that is interrupted, and leaves no inbox running', async () => {
    await inTemporaryDirectory(async (directory) => {
      const interruption = new AbortController();
      const [data, log] = [join(directory, 'inbox'), join(directory, 'inbox.log')];
      const starting = startInbox(data, log, { signal: interruption.signal });
      const outcome = starting.catch((error: unknown) => error);
      interruption.abort(new Error('Interrupted'));
      expect(await outcome).toMatchObject({ message: 'Interrupted' });
      await expect(readFile(join(data, 'endpoint.json'))).rejects.toThrow('ENOENT');
    });
  });

  it('uses other ports than an inbox that starts at the same time', async () => {
    await inTemporaryDirectory(async (directory) => {
      const names = ['one', 'two'];
      const inboxes = await Promise.all(
        names.map((name) => startInbox(join(directory, name), join(directory, `${name}.log`))),
      );
      try {
        for (const [index, inbox] of inboxes.entries()) {
          const transport = createTransport(inbox.smtpUrl);
          await transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject: names[index]!, html });
          transport.close();
        }
        const subjects = await Promise.all(inboxes.map(async (inbox) => (await mailsIn(inbox)).map((m) => m.subject)));
        expect(subjects).toEqual([['one'], ['two']]);
      } finally {
        await Promise.all(inboxes.map((inbox) => inbox.stop()));
      }
    });
  });

  it('serves a page whose mails may open links in a window, to no other origin', async () => {
    await inTemporaryDirectory(async (directory) => {
      const inbox = await startInbox(join(directory, 'inbox'), join(directory, 'inbox.log'));
      try {
        const assets = join(directory, 'inbox', 'page', 'assets');
        const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
        const code = await Promise.all(names.map((name) => readFile(join(assets, name), 'utf8')));
        expect(code.join('')).toContain('sandbox:"allow-same-origin allow-popups');
        const script = await fetch(`${inbox.webUrl}/assets/${names[0]}`, {
          headers: { Origin: 'http://evil.example' },
        });
        expect(script.status).toBe(200);
        expect(script.headers.get('access-control-allow-origin')).toBeNull();
      } finally {
        await inbox.stop();
      }
    });
  });

  it('shows mails to no page of another host name, and runs none of their scripts', async () => {
    await inTemporaryDirectory(async (directory) => {
      const inbox = await startInbox(join(directory, 'inbox'), join(directory, 'inbox.log'));
      const { port } = new URL(inbox.webUrl);
      const ask = (path: string, host: string, origin?: string): Promise<IncomingMessage> =>
        new Promise((resolve, reject) => {
          const headers = { host, accept: 'text/html', ...(origin !== undefined && { origin }) };
          get({ host: '127.0.0.1', port, path, headers, agent: false }, resolve).on('error', reject);
        });
      const statusOf = async (path: string, host: string, origin?: string): Promise<number> => {
        const response = await ask(path, host, origin);
        response.resume();
        return response.statusCode!;
      };
      try {
        const transport = createTransport(inbox.smtpUrl);
        const attachments = [{ filename: 'page.html', content: '<script>alert(1)</script>' }];
        await transport.sendMail({
          from: 'a@b.co',
          to: 'b@b.co',
          subject: 'S',
          html: '<script>1</script>',
          attachments,
        });
        transport.close();
        const [mail] = await mailsIn(inbox);
        const [shown, attached] = [
          `/api/email/${mail!.id}/html`,
          `/api/email/${mail!.id}/attachment/${mail!.attachments![0]!.generatedFileName}`,
        ];
        const socket = '/socket.io/?EIO=4&transport=polling';
        for (const path of ['/', '/anything', '/api/email', shown, attached, socket]) {
          for (const name of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])
            expect([path, name, await statusOf(path, `${name}:${port}`)]).toEqual([path, name, 200]);
          for (const name of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', ''])
            expect([path, name, await statusOf(path, `${name}:${port}`)]).toEqual([path, name, 403]);
        }
        expect(await statusOf(socket, `localhost:${port}`, `http://localhost:${port}`)).toBe(200);
        for (const origin of ['http://evil.example', 'http://localhost:1', 'null'])
          expect([origin, await statusOf(socket, `localhost:${port}`, origin)]).toEqual([origin, 403]);
        for (const path of [shown, attached]) {
          const { headers } = await fetch(inbox.webUrl + path);
          expect(headers.get('content-security-policy')).toMatch(/^sandbox [^;]*; script-src 'none'/);
          expect(headers.get('content-security-policy')).not.toMatch(/allow-(scripts|same-origin)/);
          expect(headers.get('x-content-type-options')).toBe('nosniff');
        }
        expect(await (await fetch(inbox.webUrl + shown)).text()).not.toContain('script');
        const page = await fetch(inbox.webUrl, { headers: { accept: 'text/html' } });
        expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
      } finally {
        await inbox.stop();
      }
    });
  });
});
