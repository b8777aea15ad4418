import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CounterColumns } from '../platform/database/counter-columns.js';
import { CAMPAIGN_COUNTERS } from './campaign-counters.js';
import { Campaign } from './campaign.entity.js';

/** One of several counter rows per campaign. The campaign's totals are their sums. */
@Entity('campaign_totals')
@CounterColumns(CAMPAIGN_COUNTERS)
export class CampaignTotal {
  @ForeignKey(() => Campaign, { name: 'campaign_totals_campaign_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;

  /** Accepted emails count in one of `TOTAL_SHARDS`. The flusher uses -1. */
  @PrimaryColumn({ type: 'smallint' })
  shard!: number;
}
