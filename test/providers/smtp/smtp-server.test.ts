import type { AddressInfo } from 'node:net';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './smtp-bench.js';

/** The stub might share a mistake with the product; this server is a third-party package. */
describe('SMTP with a third-party server', () => {
  it('logs in and delivers', async () => {
    const mails: Promise<ParsedMail>[] = [];
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'mailer' && password === 'p@ss' ? done(null, { user: username }) : done(new Error('Wrong')),
      onData: (stream, _session, done) => {
        mails.push(simpleParser(stream));
        stream.on('end', () => done());
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const provider = providerAt(`smtp://mailer:p%40ss@127.0.0.1:${port}`);
    const email = outgoingEmail({
      subject: 'Grüße',
      html: '.\r\n.x\r\n<p>é</p>',
      bcc: [{ address: 'b@example.test' }],
    });
    expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ kind: 'accepted' });
    expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ kind: 'accepted' });
    const [mail, again] = await Promise.all(mails);
    expect(mail).toMatchObject({ subject: 'Grüße', messageId: `<${email.messageId}>` });
    expect(mail?.html).toContain('.\n.x\n<p>é</p>');
    expect(again?.messageId).toBe(mail?.messageId);
    const unauthorized = providerAt(`smtp://mailer:wrong@127.0.0.1:${port}`);
    expect(await unauthorized.deliver(email, longDeadline(), claimed)).toMatchObject({ kind: 'credential-refused' });
    await Promise.all([provider.close(), unauthorized.close()]);
    await new Promise<void>((resolve) => server.close(resolve));
  });
});
