import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Campaign } from './campaign.entity.js';

/** One of several counter rows per campaign. The campaign's totals are their sums. */
@Entity('campaign_totals')
export class CampaignTotal {
  @ForeignKey(() => Campaign, { name: 'campaign_totals_campaign_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;

  /** The API counts accepted emails in one of 16 shards. The flusher uses -1. */
  @PrimaryColumn({ type: 'smallint' })
  shard!: number;

  @Column({ type: 'bigint', default: 0 })
  emails!: string;

  @Column({ type: 'bigint', default: 0 })
  opens!: string;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;

  // Emails that a person opened or clicked, each counted once.

  @Column({ type: 'bigint', name: 'unique_opens', default: 0 })
  uniqueOpens!: string;

  @Column({ type: 'bigint', name: 'unique_clicks', default: 0 })
  uniqueClicks!: string;

  // How many of the opens and clicks machines caused; and opens and clicks together by the class of the machine.

  @Column({ type: 'bigint', name: 'machine_opens', default: 0 })
  machineOpens!: string;

  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;

  @Column({ type: 'bigint', default: 0 })
  prefetches!: string;

  @Column({ type: 'bigint', default: 0 })
  previews!: string;

  @Column({ type: 'bigint', default: 0 })
  scans!: string;

  @Column({ type: 'bigint', default: 0 })
  bots!: string;

  // Recipients that ever reached the fact, each counted once per email.

  @Column({ type: 'bigint', default: 0 })
  delivered!: string;

  @Column({ type: 'bigint', default: 0 })
  deferred!: string;

  @Column({ type: 'bigint', default: 0 })
  bounced!: string;

  @Column({ type: 'bigint', default: 0 })
  complained!: string;

  @Column({ type: 'bigint', default: 0 })
  unsubscribed!: string;

  @Column({ type: 'bigint', default: 0 })
  suppressed!: string;
}
