import type { DeliveryProvider } from '../../src/providers/provider.js';
import type { ScriptedStep } from '../support/scripted-responses.js';
import type { Scripts } from '../support/scripts.js';
import { listenSilently } from '../support/silent-server.js';
import type { Arrival, Bench, Situation } from './bench.js';

/** The stub of a provider's HTTP API. */
interface ProviderStub {
  readonly url: string;
  readonly scripts: Scripts<ScriptedStep>;
  readonly requests: readonly unknown[];
  readonly openConnections: number;
  readonly connectionsMade: number;
  close(): Promise<void>;
}

export type HttpSteps = Record<Exclude<Situation, 'silent-before-content'>, ScriptedStep>;

interface HttpBenchOptions {
  readonly providerAt: (url: string) => DeliveryProvider;
  readonly steps: HttpSteps;
  readonly arrivals: () => Promise<readonly Arrival[]>;
  readonly others?: Pick<Bench, 'recipientName' | 'senderName' | 'emptyFile' | 'bounceTypes' | 'sendsOnce'>;
}

/** A provider that is called over HTTP, with its stub. */
export async function httpBench(
  stub: ProviderStub,
  { providerAt, steps, arrivals, others }: HttpBenchOptions,
): Promise<Bench> {
  const deaf = await listenSilently();
  const ordinary = providerAt(stub.url);
  // Over TLS no part of the request is sent before the handshake, which simulates silence before the content.
  const handshaking = providerAt(`https://127.0.0.1:${deaf.port}`);
  let current = ordinary;
  return {
    ...others,
    provider: {
      name: ordinary.name,
      deliver: (...delivery) => current.deliver(...delivery),
      callWithoutEmail: (signal) => ordinary.callWithoutEmail!(signal),
      close: async () => void (await Promise.all([ordinary.close(), handshaking.close()])),
    },
    arrange: (situation, { emailId }) => {
      if (situation === 'silent-before-content') current = handshaking;
      else stub.scripts.add(emailId, steps[situation]);
    },
    arrangeForAll: (situation) => {
      if (situation !== 'silent-before-content') stub.scripts.add('*', steps[situation]);
    },
    relent: () => {
      current = ordinary;
      stub.scripts.clear();
    },
    arrivals,
    contacts: () => stub.requests.length,
    situations: () => stub.scripts.played + deaf.sockets.size,
    openConnections: () => stub.openConnections + deaf.sockets.size,
    connectionsMade: () => stub.connectionsMade,
    unreachable: async () => {
      const gone = await listenSilently();
      await gone.close();
      return providerAt(`http://127.0.0.1:${gone.port}`);
    },
    close: async () => {
      await Promise.all([ordinary.close(), handshaking.close()]);
      await Promise.all([stub.close(), deaf.close()]);
    },
  };
}
