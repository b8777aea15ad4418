import { once } from 'node:events';
import { connect } from 'node:net';
import { TestService } from '../support/service.js';

const bounces = { BOUNCE_DOMAIN: 'bounces.example.com' };
const services: TestService[] = [];
afterAll(() => Promise.all(services.map((service) => service.stop())));

async function start(environment: Record<string, string>, beside?: TestService): Promise<TestService> {
  const service = await TestService.start({ environment: { ...bounces, ...environment }, ...(beside && { beside }) });
  services.push(service);
  return service;
}

/** The greeting of the server at this address; the error code when nothing listens there. */
async function greeting(host: string, port: number): Promise<string> {
  const socket = connect(port, host);
  try {
    const [first] = (await once(socket, 'data')) as [Buffer];
    return first.toString();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

describe('the role bounces', () => {
  it('listens only at the address HOST', async () => {
    const service = await start({ ROLES: 'bounces', BOUNCE_SMTP_PORT: '0', HOST: '127.0.0.2' });
    const port = service.settings.BOUNCE_SMTP_PORT!;
    expect(await greeting('127.0.0.2', port)).toMatch(/^220 bounces\.example\.com /);
    expect(await greeting('127.0.0.1', port)).toBe('ECONNREFUSED');
  });

  it('is one of the default roles only if BOUNCE_SMTP_PORT is set', async () => {
    const without = await start({}, services[0]);
    expect(without.settings.ROLES).not.toContain('bounces');
    expect(without.settings.BOUNCE_SMTP_PORT).toBeUndefined();
    const listening = await start({ BOUNCE_SMTP_PORT: '0' }, services[0]);
    expect(listening.settings.ROLES).toContain('bounces');
    expect(await greeting('127.0.0.1', listening.settings.BOUNCE_SMTP_PORT!)).toMatch(/^220 /);
  });
});
