import { Mailbeacon, type MailbeaconOptions } from '../../packages/client/src/index.js';
import { errorOf } from './error-of.js';
import { ScriptedServer } from './scripted-server.js';

const messageFrom = async (url: string): Promise<string> =>
  (await errorOf(new Mailbeacon({ url, retries: 0 }).usage.get())).message;

describe('a service that cannot be reached', () => {
  it('is named with the reason, which fetch keeps in the cause', async () => {
    const server = await ScriptedServer.listen();
    const { address } = server;
    await server.close();
    const { host } = new URL(address);
    expect(await messageFrom(address)).toBe(`GET /api/usage failed: fetch failed: connect ECONNREFUSED ${host}`);
    expect(await messageFrom('localhost:3000')).toBe('GET /api/usage failed: fetch failed: unknown scheme');
  });

  it('is named by its code, if several addresses were tried', async () => {
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const fails = (): Promise<never> => Promise.reject(new TypeError('fetch failed', { cause }));
    const client = new Mailbeacon({ url: 'http://localhost', retries: 0, fetch: fails });
    expect((await errorOf(client.usage.get())).message).toBe('GET /api/usage failed: fetch failed: ECONNREFUSED');
  });

  it('is asked for at once, if its address is missing', () => {
    expect(() => new Mailbeacon({ apiKey: 'mb_key' } as MailbeaconOptions)).toThrow(
      new TypeError('url must be the address of the service, such as https://mail.acme.example'),
    );
  });
});
