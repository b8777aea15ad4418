import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Campaign } from '../campaigns/campaign.entity.js';
import { Contact } from './contact.entity.js';

@Entity('contact_campaigns')
export class ContactCampaign {
  @ForeignKey(() => Contact, { name: 'contact_campaigns_contact_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'bigint', name: 'contact_id' })
  contactId!: string;

  @Index('contact_campaigns_campaign_id')
  @ForeignKey(() => Campaign, { name: 'contact_campaigns_campaign_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'uuid', name: 'campaign_id' })
  campaignId!: string;
}
