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
