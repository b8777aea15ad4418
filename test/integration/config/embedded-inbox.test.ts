import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { startInbox, type RunningInbox } from '../../../src/config/embedded/inbox.js';
import { inTemporaryDirectory } from '../../support/temporary-directory.js';

const html = '<p>Hello <a href="http://localhost:3000/api/t/c/x" target="_blank">there</a></p>';

async function mailsIn(inbox: RunningInbox): Promise<{ id: string; subject: string }[]> {
  const response = await fetch(`${inbox.webUrl}/api/email`);
  return (await response.json()) as { id: string; subject: string }[];
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
});
