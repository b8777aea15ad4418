import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An authenticated domain in the provider's account whose sending domain was deleted. */
@Entity('provider_domain_removals')
export class ProviderDomainRemoval {
  @PrimaryColumn({ type: 'text', name: 'provider_domain_id' })
  providerDomainId!: string;

  @Column({ type: 'text' })
  domain!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
