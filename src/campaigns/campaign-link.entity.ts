import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Campaign } from './campaign.entity.js';

@Entity('campaign_links')
@Index('campaign_links_clicks', ['campaignId', 'clicks', 'urlHash'])
export class CampaignLink {
  @ForeignKey(() => Campaign, { name: 'campaign_links_campaign_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;

  /** SHA-256 of the URL, which may be longer than an index entry. */
  @PrimaryColumn({ type: 'bytea', name: 'url_hash' })
  urlHash!: Buffer;

  @Column({ type: 'text' })
  url!: string;

  @Column({ type: 'bigint', default: 0 })
  clicks!: string;

  /** How many of the clicks machines caused. */
  @Column({ type: 'bigint', name: 'machine_clicks', default: 0 })
  machineClicks!: string;
}
