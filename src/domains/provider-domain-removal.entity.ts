import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An authenticated domain of the provider's account that was made for a domain that is gone. */
@Entity('provider_domain_removals')
export class ProviderDomainRemoval {
  @PrimaryColumn({ type: 'text', name: 'provider_domain_id' })
  providerDomainId!: string;

  @Column({ type: 'text' })
  domain!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
