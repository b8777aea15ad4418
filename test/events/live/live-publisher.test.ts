import { LivePublisher } from '../../../src/events/live/live-publisher.js';
import type { LiveStore } from '../../../src/events/live/live-store.js';

/** An in-memory store with clients of every organization. */
class ListenedStore {
  readonly appended = new Map<string, string[]>();

  listened(organizationIds: readonly string[]): Promise<readonly string[]> {
    return Promise.resolve(organizationIds);
  }

  append(organizationId: string, messages: readonly { type: string }[]): Promise<void> {
    this.appended.set(
      organizationId,
      messages.map(({ type }) => type),
    );
    return Promise.resolve();
  }
}

it('sends `refresh` to the clients of every organization once too many organizations have messages', async () => {
  const store = new ListenedStore();
  const publisher = new LivePublisher(store as unknown as LiveStore, { now: () => 0 });
  const organizations = Array.from({ length: 1_500 }, (_, number) => `organization-${number}`);
  publisher.reportAll(
    organizations.map((organizationId) => ({ type: 'email.opened', organizationId, emailId: organizationId })),
  );
  await publisher.onApplicationShutdown();
  const types = organizations.map((organizationId) => store.appended.get(organizationId)?.join());
  expect(types.slice(0, 1_000)).toEqual(Array(1_000).fill('email.opened'));
  expect(types.slice(1_000)).toEqual(Array(500).fill('refresh'));
});

it('sends one message for each webhook that fails, and for each email and broadcast that changes', async () => {
  const store = new ListenedStore();
  const publisher = new LivePublisher(store as unknown as LiveStore, { now: () => 0 });
  const organizationId = 'organization';
  for (const id of ['one', 'two', 'two']) {
    publisher.report({ type: 'webhook.failed', organizationId, webhookId: id });
    publisher.report({ type: 'email.opened', organizationId, emailId: id });
    publisher.report({ type: 'broadcast.changed', organizationId, broadcastId: id });
  }
  await publisher.onApplicationShutdown();
  const types = ['webhook.failed', 'email.opened', 'broadcast.changed'];
  expect(store.appended.get(organizationId)).toEqual([...types, ...types]);
});
