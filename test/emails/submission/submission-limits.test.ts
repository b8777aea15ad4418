import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import type { Socket } from 'node:net';
import { SubmissionLimits } from '../../../src/emails/submission/submission-limits.js';

const MINUTE = 60_000;

class FakeSocket extends EventEmitter {
  destroyed = false;

  constructor(
    readonly remotePort: number,
    readonly remoteAddress = '::ffff:192.0.2.1',
  ) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
  }
}

const socketAt = (port: number): FakeSocket & Socket => new FakeSocket(port) as FakeSocket & Socket;
const endAt = (remotePort: number) => ({ remoteAddress: '192.0.2.1', remotePort });

describe('the time of connections', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends after half a minute without a login, and after 15 minutes with one', () => {
    const limits = new SubmissionLimits();
    const [stranger, client] = [socketAt(1), socketAt(2)];
    for (const [at, socket] of [stranger, client].entries()) {
      limits.begin(socket);
      expect(limits.connect(String(at), '192.0.2.1')).toBe(true);
    }
    expect(limits.logIn('1', 'organization', endAt(2))).toBe(true);
    jest.advanceTimersByTime(MINUTE / 2);
    expect([stranger.destroyed, client.destroyed]).toEqual([true, false]);
    jest.advanceTimersByTime(15 * MINUTE);
    expect(client.destroyed).toBe(true);
  });

  it('leaves nothing behind when a connection ends, even if TLS has removed the listeners of its socket', () => {
    const limits = new SubmissionLimits();
    for (let port = 1; port <= 100; port++) {
      const socket = socketAt(port);
      limits.begin(socket);
      limits.connect(String(port), '192.0.2.1');
      socket.removeAllListeners();
      limits.disconnect(String(port), endAt(port));
    }
    expect([limits.size, jest.getTimerCount()]).toEqual([0, 0]);
  });

  it('stays limited for a connection that has the port of one before, whose end shows late', () => {
    const limits = new SubmissionLimits();
    const [before, after] = [socketAt(1), socketAt(1)];
    limits.begin(before);
    limits.begin(after);
    before.emit('close');
    expect(limits.size).toBe(1);
    jest.advanceTimersByTime(MINUTE / 2);
    expect(after.destroyed).toBe(true);
  });
});

describe('the number of connections', () => {
  it('is limited for a whole IPv6 network', () => {
    const limits = new SubmissionLimits();
    const connected = Array.from({ length: 51 }, (_, at) => limits.connect(String(at), `2001:db8::${at.toString(16)}`));
    expect(connected.filter(Boolean)).toHaveLength(50);
    expect(limits.connect('other', '2001:db8:0:1::1')).toBe(true);
  });

  it('is limited for each client and each organization, and its places become free', () => {
    const limits = new SubmissionLimits();
    const connected = (client: number, count: number): boolean[] =>
      Array.from({ length: count }, (_, at) => limits.connect(`${client}-${at}`, `198.51.100.${client}`));
    expect(connected(1, 51).filter(Boolean)).toHaveLength(50);
    for (const client of [2, 3, 4, 5]) expect(connected(client, 50).every(Boolean)).toBe(true);
    const logIns = [1, 2, 3, 4, 5].flatMap((client) =>
      Array.from({ length: 50 }, (_, at) => limits.logIn(`${client}-${at}`, 'organization', endAt(at))),
    );
    expect(logIns.filter(Boolean)).toHaveLength(200);
    limits.disconnect('1-0', endAt(0));
    expect(limits.connect('1-51', '198.51.100.1')).toBe(true);
    expect(limits.logIn('5-49', 'organization', endAt(49))).toBe(true);
  });
});
