import type { AuditAction } from '../../src/organizations/audit/audit-actions.js';
import { addProvider, exampleOf } from './own-providers.js';
import type { ApiResponse, TestClient } from './service.js';

/** A request that the audit log records. */
export interface Scenario {
  /** For routes of signed-in users: an owner sends the request. */
  readonly byUser?: true;
  readonly action: AuditAction;
  /** Creates what the request needs, and returns its path. */
  readonly prepare?: () => Promise<string>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export const idOf = async (creation: Promise<ApiResponse<unknown>>): Promise<string> =>
  ((await creation).body as { id: string }).id;
/** The requests of sending domains, or of tracking domains. */
export function domainScenarios(
  client: () => TestClient,
  route: string,
  kind: 'domain' | 'tracking-domain',
): Record<string, Scenario> {
  const added = async () => `${route}/${await idOf(client().post(route, { domain: `d${Date.now()}.example.com` }))}`;
  return {
    [`POST ${route}`]: { action: `${kind}.added`, body: { domain: 'audit.example.com' } },
    [`DELETE ${route}/{id}`]: { action: `${kind}.deleted`, prepare: added },
    [`POST ${route}/{id}/verify`]: { action: `${kind}.verified`, prepare: async () => `${await added()}/verify` },
  };
}

/** The requests of an organization's own providers. */
export function providerScenarios(client: () => TestClient): Record<string, Scenario> {
  const added = async () => `/api/providers/${(await addProvider(client(), 'resend')).id}`;
  return {
    'POST /api/providers': { action: 'provider.added', body: { name: 'main', ...exampleOf('resend') } },
    'PATCH /api/providers/{id}': { action: 'provider.changed', prepare: added, body: { weight: 1 } },
    'DELETE /api/providers/{id}': { action: 'provider.deleted', prepare: added },
  };
}
