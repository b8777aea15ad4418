import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '../../support/eventually.js';
import { TestService } from '../../support/service.js';

/** More than a connection may have listeners of one event before Node warns. */
const REQUESTS = 15;

it('responds to HEAD /api/live and leaves the connection to further requests', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  const service = await TestService.start({ environment: { ROLES: 'api' } });
  try {
    const { apiKey } = await service.organization();
    const socket = connect(Number(new URL(service.address).port), '127.0.0.1');
    await once(socket, 'connect');
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    socket.on('error', () => undefined);
    const responses = () => received.split('HTTP/1.1 200 OK').length - 1;
    for (let made = 0; made < REQUESTS; made++) {
      for (const request of ['HEAD /api/live', 'GET /api/campaigns', 'GET /api/campaigns']) {
        const before = responses();
        socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${apiKey}\r\n\r\n`);
        await eventually(() => responses() > before || socket.destroyed);
        expect(socket.destroyed).toBe(false);
      }
    }
    expect(warnings).not.toContain('MaxListenersExceededWarning');
    socket.destroy();
  } finally {
    process.off('warning', onWarning);
    await service.stop();
  }
});
