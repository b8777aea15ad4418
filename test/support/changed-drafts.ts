import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { draft } from './broadcast-client.js';
import type { ApiResponse, TestClient } from './service.js';

/** The response to a change or a sending of an older version. */
export const DRAFT_CHANGED = {
  status: 409,
  body: { error: 'The draft has changed meanwhile: read it again before you change it' },
};

export function changeDraft(
  client: TestClient,
  id: string,
  fields: object,
): Promise<ApiResponse<BroadcastView & { error?: string }>> {
  return client.put(`/api/broadcasts/${id}`, { ...draft, ...fields });
}

/** @returns the version that the change made */
export async function versionAfter(client: TestClient, id: string, fields: object): Promise<string> {
  const { status, body } = await changeDraft(client, id, fields);
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  return body.version;
}
