import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { readMailMessage } from '../../src/events/feedback/smtp/mail-message.js';
import { readNotification } from '../../src/events/feedback/smtp/read-notification.js';
import { startInbox, type RunningInbox } from '../../src/embedded/inbox.js';
import { eventually } from '../support/eventually.js';
import { SmtpStub, type SmtpMessage } from '../support/smtp-stub.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

const sender = 'b+token@bounces.example';
const portOf = (bounces: SmtpStub): number => Number(new URL(bounces.url).port);

async function send(inbox: RunningInbox, to: string | string[], from = sender): Promise<void> {
  const transport = createTransport(inbox.smtpUrl);
  await transport.sendMail({ envelope: { from, to }, from: 'a@b.co', to, subject: 'Returned', text: 'Not returned' });
  transport.close();
}

async function withInbox(
  work: (inbox: RunningInbox, bounces: SmtpStub, directory: string) => Promise<void>,
): Promise<void> {
  const bounces = await SmtpStub.listen();
  await inTemporaryDirectory(async (directory) => {
    const inbox = await startInbox(join(directory, 'inbox'), join(directory, 'inbox.log'));
    await work(inbox, bounces, directory).finally(() => inbox.stop());
  }).finally(() => bounces.close());
}

const next = (bounces: SmtpStub, count = 1): Promise<SmtpMessage[]> =>
  eventually(() => bounces.messages.length >= count && [...bounces.messages]);

describe('the embedded inbox', () => {
  it('responds to mail to simulated addresses as their servers would, from the null sender to its envelope sender', async () => {
    const played = {
      'bounce@simulator.example': { fact: 'bounced', bounce: 'hard', smtpStatus: '5.1.1' },
      'Bounce+a.label@simulator.example': { fact: 'bounced', bounce: 'hard', smtpStatus: '5.1.1' },
      'full@simulator.example': { fact: 'bounced', bounce: 'soft', smtpStatus: '4.2.2' },
      'delivered@simulator.example': { fact: 'delivered', smtpStatus: '2.0.0' },
      'complaint@simulator.example': { fact: 'complained', originalSender: sender },
    };
    await withInbox(async (inbox, bounces) => {
      await inbox.returnBouncesTo(portOf(bounces));
      for (const [position, [address, report]] of Object.entries(played).entries()) {
        await send(inbox, address);
        const message = (await next(bounces, position + 1)).at(-1)!;
        expect(message).toMatchObject({ sender: '', recipients: [sender] });
        const { reports } = readNotification((await readMailMessage(message.content))!, '');
        expect(reports).toEqual([expect.objectContaining({ address, ...report })]);
        expect(message.content.toString()).toContain('Subject: Returned');
        expect(message.content.toString()).not.toContain('Not returned');
      }
    });
  });

  it('reports on each simulated recipient, on no other one and on no report', async () => {
    await withInbox(async (inbox, bounces) => {
      await inbox.returnBouncesTo(portOf(bounces));
      await send(inbox, 'bounce@simulator.example', '');
      await send(inbox, ['bounces@simulator.example', 'bounce@example.com', 'bounce@simulator.example.com']);
      await send(inbox, ['bounce+1@simulator.example', 'x@y.co', 'bounce+2@simulator.example']);
      const messages = await next(bounces, 2);
      const named = messages.map(({ content }) => /^Final-Recipient: rfc822; (.*)\r$/m.exec(content.toString())?.[1]);
      expect(named).toEqual(['bounce+1@simulator.example', 'bounce+2@simulator.example']);
    });
  });

  it('repeats a report until a process listens, and forgets the port when it stops', async () => {
    await withInbox(async (inbox, bounces, directory) => {
      bounces.scripts.add('*', { phase: 'rcpt', reply: '451 4.3.0 Later' }, 1);
      await send(inbox, 'bounce@simulator.example');
      await inbox.returnBouncesTo(portOf(bounces));
      await next(bounces);
      await inbox.stop();
      await expect(stat(join(directory, 'inbox', 'bounce-port'))).rejects.toThrow('ENOENT');
    });
  });

  it('gives up when a report is refused permanently, and logs it', async () => {
    await withInbox(async (inbox, bounces, directory) => {
      bounces.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such address' }, 1);
      await inbox.returnBouncesTo(portOf(bounces));
      await send(inbox, 'bounce@simulator.example');
      const log = (): Promise<string> => readFile(join(directory, 'inbox.log'), 'utf8');
      expect(await eventually(async () => (await log()).includes('Could not report') && log())).toContain('5.1.1');
      await send(inbox, 'bounce@simulator.example');
      expect(await next(bounces)).toHaveLength(1);
    });
  });
});
