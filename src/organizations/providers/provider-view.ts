import type { ProviderStateView } from '../../emails/sending-state/provider-state.js';
import type { ProviderCredentials, ProviderType } from '../../platform/config/provider-credentials.js';
import { readSmtpUrl } from '../../platform/config/smtp-server-address.js';
import { DecryptionError, type SecretBox } from '../../platform/encryption/secret-box.js';
import { openCredentials } from './provider-secrets.js';

/** A provider of an organization in responses, without its secrets. */
export interface OrganizationProviderView {
  readonly id: string;
  readonly name: string;
  readonly type: ProviderType;
  /** Distinguishes accounts without revealing a secret; null if nothing does, or if the encryption key is lost. */
  readonly account: string | null;
  readonly weight: number | null;
  readonly perSecond: number | null;
  /** Where the provider may report events; null without an event key. */
  readonly eventsUrl: string | null;
  readonly state: ProviderStateView['state'];
  readonly pausedUntil: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
}

export interface OrganizationProviderRow {
  readonly id: string;
  readonly name: string;
  readonly type: ProviderType;
  readonly weight: number | null;
  readonly per_second: number | null;
  readonly sealed_credentials: string;
  readonly has_event_key: boolean;
  readonly version: number;
  readonly created_at: Date;
  readonly changed_at: Date;
}

export const ORGANIZATION_PROVIDER_COLUMNS = `id, name, type, weight, per_second, sealed_credentials,
  sealed_event_key is not null as has_event_key, version, created_at, changed_at`;

export function toProviderView(
  row: OrganizationProviderRow,
  { state, until }: ProviderStateView,
  account: string | null,
  baseUrl: string,
): OrganizationProviderView {
  const { id, name, type, weight } = row;
  return {
    ...{ id, name, type, account, weight },
    perSecond: row.per_second,
    eventsUrl: row.has_event_key ? `${baseUrl}/api/providers/${id}/events` : null,
    state,
    pausedUntil: until,
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
  };
}

const ACCOUNTS: { [Type in ProviderType]: (credentials: ProviderCredentials[Type]) => string | null } = {
  smtp: ({ url }) => serverOf(url),
  sendgrid: () => null,
  ses: ({ region, accessKeyId }) => `${region} …${accessKeyId.slice(-4)}`,
  postmark: ({ messageStream }) => messageStream ?? null,
  mailgun: ({ domain }) => domain,
  resend: () => null,
};

/** Null also if the encryption key is lost: the provider must still be listed, to be changed or deleted. */
export function accountOf(box: SecretBox, row: OrganizationProviderRow): string | null {
  return accountOfType(box, row.type, row);
}

function accountOfType<Type extends ProviderType>(
  box: SecretBox,
  type: Type,
  { id, sealed_credentials }: OrganizationProviderRow,
): string | null {
  try {
    return ACCOUNTS[type](openCredentials<Type>(box, id, sealed_credentials));
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

/** The URL without user, password and options. */
function serverOf(url: string): string {
  const { host, port, secure } = readSmtpUrl(url);
  return `${secure ? 'smtps' : 'smtp'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
