import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('organizations')
export class Organization {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** Name of a plan in the PLANS setting. */
  @Column('text')
  plan!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
