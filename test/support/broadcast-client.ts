import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import type { UploadResult } from '../../src/broadcasts/recipients/recipient-upload.js';
import { eventually } from './eventually.js';
import type { TestClient } from './service.js';

export const draft = {
  name: 'Spring sale',
  from: 'Acme News <news@acme.example>',
  subject: 'The sale',
  htmlContent: '<body><a href="https://shop.example/">Shop</a> <a href="{{unsubscribe_url}}">Unsubscribe</a></body>',
};

export function people(count: number, from = 0): { to: string }[] {
  return Array.from({ length: count }, (_, n) => ({ to: `reader${from + n}@example.com` }));
}

/** Calls the broadcast routes as one organization. */
export class BroadcastClient {
  constructor(readonly client: TestClient) {}

  async create(fields: object = {}): Promise<string> {
    const { status, body } = await this.client.post<BroadcastView>('/api/broadcasts', { ...draft, ...fields });
    expect({ status, error: (body as { error?: string }).error }).toEqual({ status: 201, error: undefined });
    return body.id;
  }

  async add(id: string, recipients: readonly object[]): Promise<UploadResult> {
    const { status, body } = await this.client.post<UploadResult>(`/api/broadcasts/${id}/recipients`, { recipients });
    expect({ status, error: (body as { error?: string }).error }).toEqual({ status: 200, error: undefined });
    return body;
  }

  async read(id: string): Promise<BroadcastView> {
    return (await this.client.get<BroadcastView>(`/api/broadcasts/${id}`)).body;
  }

  async move(id: string, name: 'send' | 'pause' | 'resume' | 'cancel'): Promise<{ status: number; is: string }> {
    const { status, body } = await this.client.post<BroadcastView>(`/api/broadcasts/${id}/${name}`);
    return { status, is: body.status };
  }

  /** Resolves with the broadcast once it has this status and none of its emails is being sent. */
  settled(id: string, status: BroadcastView['status']): Promise<BroadcastView> {
    return eventually(async () => {
      const broadcast = await this.read(id);
      return broadcast.status === status && broadcast.progress.queued === 0 && broadcast;
    });
  }
}
