import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Campaign } from './campaign.entity.js';

/** One of the rows whose sum is what a campaign counts. */
@Entity('campaign_totals')
export class CampaignTotal {
  @ForeignKey(() => Campaign, { name: 'campaign_totals_campaign_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;

  /** Senders pick one of 16; -1 is the flusher's. */
  @PrimaryColumn({ type: 'smallint' })
  shard!: number;

  @Column({ type: 'bigint', default: 0 })
  emails!: string;

  @Column({ type: 'bigint', default: 0 })
  opens!: string;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;
}
