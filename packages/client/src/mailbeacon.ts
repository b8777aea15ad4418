import { Audit } from './audit.js';
import { Broadcasts } from './broadcasts.js';
import { Campaigns } from './campaigns.js';
import { Contacts } from './contacts.js';
import { Domains } from './domains.js';
import { Emails } from './emails.js';
import { Keys } from './keys.js';
import { Providers } from './providers.js';
import { StatsReader } from './stats-reader.js';
import { Live } from './live.js';
import { SendingReader } from './sending-reader.js';
import { Suppressions } from './suppressions.js';
import { Templates } from './templates.js';
import { TrackingDomains } from './tracking-domains.js';
import type { MailbeaconOptions } from './call.js';
import { Transport } from './transport.js';
import { UsageReader } from './usage-reader.js';
import { Webhooks } from './webhooks.js';

/** A client of one organization. It keeps no connections open and does not have to be closed. */
export class Mailbeacon {
  readonly emails: Emails;
  readonly broadcasts: Broadcasts;
  readonly campaigns: Campaigns;
  readonly contacts: Contacts;
  readonly suppressions: Suppressions;
  readonly templates: Templates;
  readonly domains: Domains;
  readonly trackingDomains: TrackingDomains;
  readonly providers: Providers;
  readonly webhooks: Webhooks;
  readonly keys: Keys;
  readonly audit: Audit;
  readonly stats: StatsReader;
  readonly usage: UsageReader;
  readonly sending: SendingReader;
  readonly live: Live;

  constructor(options: MailbeaconOptions) {
    const transport = new Transport(options);
    this.emails = new Emails(transport);
    this.broadcasts = new Broadcasts(transport);
    this.campaigns = new Campaigns(transport);
    this.contacts = new Contacts(transport);
    this.suppressions = new Suppressions(transport);
    this.templates = new Templates(transport);
    this.domains = new Domains(transport);
    this.trackingDomains = new TrackingDomains(transport);
    this.providers = new Providers(transport);
    this.webhooks = new Webhooks(transport);
    this.keys = new Keys(transport);
    this.audit = new Audit(transport);
    this.stats = new StatsReader(transport);
    this.usage = new UsageReader(transport);
    this.sending = new SendingReader(transport);
    this.live = new Live(transport);
  }
}
