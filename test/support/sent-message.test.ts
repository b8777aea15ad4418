import { eventually } from './eventually.js';
import { sendMessage } from './sent-message.js';
import { SesStub } from './ses-stub.js';
import { TestService } from './service.js';

it('returns the message of its own email, although the provider responds late and has got another email meanwhile', async () => {
  const ses = await SesStub.listen();
  const provider = { id: 'main', type: 'ses', region: 'eu-west-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 's' };
  const service = await TestService.start({
    environment: { PROVIDERS: JSON.stringify([provider]), SES_API_URL: ses.url, SEND_RESPONSE_TIMEOUT_MS: '0' },
  });
  try {
    const client = await service.organization();
    const email = { from: 'Ada <ada@acme.example>', to: 'reader@example.com', htmlContent: '<p>x</p>' };
    let respond = (): void => undefined;
    const after = new Promise<void>((resolve) => (respond = resolve));
    ses.scripts.add('*', { status: 200, body: { MessageId: 'ses-late' }, after }, 1);
    const late = sendMessage(client, ses, { ...email, subject: 'Late' });
    await eventually(() => ses.messages.length === 1);
    const other = await sendMessage(client, ses, { ...email, subject: 'Other' });
    respond();
    const contents = [await late, other].map(({ message }) => message.content.toString());
    expect(contents).toEqual([expect.stringContaining('Subject: Late'), expect.stringContaining('Subject: Other')]);
  } finally {
    await service.stop();
    await ses.close();
  }
});
