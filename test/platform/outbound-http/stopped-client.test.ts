import { GuardedHttp } from '../../../src/platform/outbound-http/guarded-http.js';
import { standStill } from '../../support/stand-still.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const DEADLINE_MS = 300;

it('counts a response that had arrived when a process that stood still until after the deadline continues', async () => {
  const receiver = await WebhookReceiver.listen();
  const policy = { allowPrivateAddresses: true, allowHttp: true, ownHost: 'track.example.com' };
  const http = new GuardedHttp(policy, () => Promise.resolve(['127.0.0.1']));
  try {
    receiver.respond = (response) => {
      response.writeHead(204).end();
      standStill(DEADLINE_MS + 100);
    };
    const post = { url: receiver.url, headers: {}, body: '{}', deadlineMs: DEADLINE_MS, keepBytes: 100 };
    expect(await http.post(post)).toMatchObject({ status: 204 });
  } finally {
    http.close();
    await receiver.stop();
  }
});
