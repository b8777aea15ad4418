import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Contact } from './contact.entity.js';

@Entity('contact_search')
@Index('contact_search_letters', { synchronize: false }) // a trigram index, which TypeORM cannot declare
export class ContactSearchEntry {
  @ForeignKey(() => Contact, { name: 'contact_search_contact_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn({ type: 'bigint', name: 'contact_id' })
  contactId!: string;

  @Column({ type: 'uuid', name: 'organization_id' })
  organizationId!: string;

  /** The address in letters and digits only (see search-encoding.ts). */
  @Column({ type: 'text' })
  letters!: string;
}
