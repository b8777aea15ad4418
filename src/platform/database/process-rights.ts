/** The roles of processes that log in to Postgres, each with its own rights. */
export const PROCESS_ROLES = ['api', 'tracking', 'worker', 'flusher', 'bounces', 'smtp'] as const;

export type ProcessRole = (typeof PROCESS_ROLES)[number];

type Rights = Partial<Record<ProcessRole, string>>;

const ALL = 'select, insert, update, delete';
const READ_BY_ALL = {
  api: 'select',
  tracking: 'select',
  worker: 'select',
  flusher: 'select',
  bounces: 'select',
  smtp: 'select',
};
/** The columns that show which webhooks subscribe to events, without their URLs and secrets. */
const LISTENERS = 'select (id, organization_id, events, enabled, people)';

/**
 * The rights of each process to each table, in the words of GRANT. A new table needs its line here: a test compares
 * this list with the schema. Locking rows (`for update`, `for key share`) takes the right to update at least one
 * column. Rights that a migration removes or renames stay with older builds until every process is replaced.
 */
export const TABLE_RIGHTS: Readonly<Record<string, Rights>> = {
  api_keys: { api: 'select, insert, update', smtp: 'select, update (last_used_at)' },
  attachment_contents: {
    api: ALL,
    worker: 'select, update (used_at), delete',
    smtp: 'select, insert, update (used_at)',
  },
  audit_entries: { api: 'select, insert', worker: 'select (at, action), insert', smtp: 'insert' },
  blocked_links: { tracking: 'select', worker: 'select, insert, delete', flusher: 'select' },
  body_retention: { worker: 'select, update' },
  broadcast_recipients: { api: 'select, insert, delete', worker: 'select, delete' },
  broadcasts: { api: ALL, worker: 'select, update, delete' },
  budget_usage: {
    api: 'select, insert, update',
    worker: ALL,
    flusher: 'select, insert, update',
    smtp: 'select, insert, update',
  },
  campaign_links: { api: ALL, worker: ALL, flusher: 'select, insert, update', smtp: 'select, insert' },
  campaign_totals: {
    api: 'select, insert, update',
    worker: 'select, insert, update',
    flusher: 'select, insert, update',
    smtp: 'select, insert, update',
  },
  campaigns: {
    api: 'select, insert, update',
    worker: 'select, delete',
    flusher: 'select',
    smtp: 'select, insert, update (id)',
  },
  // A trigger adds rows with the rights of the canceling process.
  canceled_emails: { api: 'select, insert', worker: 'select, insert, delete' },
  contact_campaigns: { api: 'select, insert, delete', worker: 'select, insert, delete', smtp: 'select, insert' },
  contact_emails: { api: 'select, insert, delete', worker: 'select, insert, delete', smtp: 'select, insert' },
  contact_erasure_emails: { api: 'select, insert, delete', worker: 'select, delete' },
  contact_erasures: { api: ALL, worker: 'select, update, delete' },
  contact_search: { api: 'select, insert, delete', worker: 'select, insert', smtp: 'select, insert' },
  contacts: { api: ALL, worker: ALL, flusher: 'select, update', smtp: 'select, insert, update' },
  delivery_events: { api: ALL, worker: ALL, flusher: 'select, insert' },
  dispatch_window: { api: 'select', worker: 'select, update', smtp: 'select' },
  email_attachments: { api: ALL, worker: ALL, smtp: 'select, insert' },
  email_attempts: { api: 'select, update, delete', worker: 'select, insert, update, delete' },
  email_contents: {
    api: 'select, insert, update',
    worker: 'select, insert, update',
    flusher: 'select (email_id, sender, to_addresses, cc_addresses, bcc_addresses, subject, metadata)',
    smtp: 'select, insert',
  },
  email_link_clicks: { api: 'select', worker: 'select', flusher: 'select, insert, update' },
  email_links: { api: ALL, worker: ALL, flusher: 'select', smtp: 'select, insert' },
  email_machine_hits: { api: 'select', flusher: 'select, insert, update' },
  email_tags: { api: 'select, insert, delete', worker: 'select, insert, delete', smtp: 'select, insert' },
  emails: {
    api: 'select, insert, update',
    tracking: 'select (tracking_id, organization_id)',
    worker: ALL,
    flusher: 'select, update',
    smtp: 'select, insert',
  },
  erased_suppressions: {
    api: 'select, insert, delete',
    worker: 'select, insert, delete',
    flusher: 'select, delete',
    smtp: 'select',
  },
  event_dead_letters: {
    api: 'select, update (payload), delete',
    worker: 'select, update (payload), delete',
    flusher: 'select, insert',
  },
  event_history: { api: 'select', worker: 'select, update' },
  event_store: { api: 'select', worker: 'select', flusher: ALL },
  event_store_changes: { api: 'insert', worker: 'insert', flusher: ALL },
  event_store_gaps: { worker: 'select', flusher: ALL },
  event_sums: { worker: 'select, update, delete', flusher: 'select, insert, update' },
  events: { api: 'select, update, delete', worker: 'select, update, delete', flusher: 'select, insert, update' },
  hourly_stats: { api: 'select', worker: ALL },
  idempotency_keys: { api: ALL, worker: 'select, update, delete', smtp: 'select, insert, update' },
  late_bodies: { worker: 'select, insert, delete' },
  memberships: { api: ALL },
  messages: { api: 'select, insert, delete', worker: 'select, delete' },
  migrations: READ_BY_ALL,
  // Only operators create, change and delete organizations; `id` is for locks.
  organizations: {
    api: 'select, update (id)',
    worker: 'select, update (id), delete',
    flusher: 'select (id, plan)',
    smtp: 'select, update (id)',
  },
  organization_providers: { api: ALL, worker: 'select', smtp: 'select (id, organization_id)' },
  pending_emails: { api: ALL, worker: ALL, flusher: 'select (email_id, provider)', smtp: 'select, insert' },
  people_walk: { worker: 'select, update' },
  person_hash_key: { api: 'select', worker: 'select', flusher: 'select' },
  provider_domain_removals: { api: 'select, insert, delete', worker: 'select, insert, delete' },
  recipient_deliveries: { api: ALL, worker: ALL, flusher: 'select, insert, update' },
  sending_domains: {
    api: ALL,
    worker: 'select, update, delete',
    flusher:
      'select (id, organization_id, domain, status, sender_refused_at), update (sender_refused_at, sender_refusal)',
    smtp: 'select',
  },
  sending_guards: { api: 'select', worker: 'select, insert, update', smtp: 'select' },
  sending_rates: { api: 'select, insert, update', worker: ALL, flusher: 'select, insert, update' },
  sessions: { api: ALL },
  signing_keys: READ_BY_ALL,
  soft_bounce_resets: { api: ALL, worker: 'select, delete', flusher: 'select' },
  stat_deltas: { api: 'select, insert', worker: ALL, flusher: 'select, insert', smtp: 'select, insert' },
  stats_walk: { worker: 'select, update' },
  suppressions: {
    api: ALL,
    worker: ALL,
    flusher: ALL,
    smtp: 'select',
  },
  template_versions: { api: 'select, insert, delete', worker: 'select, delete' },
  templates: { api: ALL, worker: 'select, delete' },
  tracking_base_urls: {
    api: 'select, insert, update',
    tracking: 'select (organization_id, domain, used_from)',
    worker: 'select, insert, update',
    smtp: 'select',
  },
  tracking_domains: { api: ALL, worker: 'select, update' },
  user_tokens: { api: 'select, insert, delete' },
  users: { api: ALL },
  webhook_attempts: { api: 'select, update', worker: 'select, insert, update' },
  webhook_deliveries: { api: ALL, worker: ALL, flusher: 'select, insert, delete', smtp: 'select, insert' },
  webhook_endpoints: {
    api: 'select, insert, update',
    worker: 'select, update, delete',
    flusher: LISTENERS,
    smtp: LISTENERS,
  },
};

/** Columns whose default comes from a sequence; identity columns need no right. */
export const SEQUENCE_RIGHTS: Readonly<Record<string, readonly ProcessRole[]>> = {
  delivery_events_arrival: ['api', 'worker', 'flusher'],
};

/** Functions that run with the rights of their owner, which no other login may call. */
export const FUNCTION_RIGHTS: Readonly<Record<string, readonly ProcessRole[]>> = {
  'create_event_partition(text, date)': ['worker', 'flusher'],
  'drop_event_partition(text, date)': ['worker'],
  'delete_expired_audit_entries(integer, integer)': ['worker'],
};
