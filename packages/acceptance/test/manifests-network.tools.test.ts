import { BlockList } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { buildOverlay, ofKind, parseManifests } from './manifests.js';

interface Peer {
  readonly namespaceSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port?: string | number }[];
}

interface Policy {
  readonly podSelector: NonNullable<Peer['podSelector']>;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

it('a drill of a restore reaches nobody outside, who would take it for production', () => {
  const rules = policiesOf('restore-drill').flatMap(({ egress = [] }) => egress);
  expect(rules.flatMap(({ to = [] }) => to).filter(({ ipBlock }) => ipBlock)).toEqual([]);
  const [drill, restore] = ['restore-drill', 'restore'].map((name) =>
    ofKind(parseManifests(buildOverlay(name)), 'Cluster'),
  );
  expect(drill).toEqual(restore);
});

describe('the network in production', () => {
  const policies = policiesOf('production');

  it('is closed to whatever is not named', () => {
    const closed = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
    expect(policies).toContainEqual(closed);
  });

  it('has these arrows, and no other', () => {
    expect(policies.flatMap(arrowsOf).sort()).toEqual(
      [
        'ingress:true > gateway :http',
        'clients:true worker:true > gateway :http',
        'clients:true producer:true > gateway :http',
        'role:service > monitoring:true :4318',
        'gateway > auth :7001',
        'gateway > auth :http',
        'gateway > integrations :7002',
        'gateway > integrations :http',
        'gateway > webhook-dispatcher :7003',
        'gateway > webhook-dispatcher :http',
        'integrations > auth :7001',
        'integrations > auth :7101',
        'integrations > auth :grpc',
        'integrations > auth :http',
        'webhook-dispatcher > auth :7001',
        'webhook-dispatcher > auth :7101',
        'webhook-dispatcher > auth :grpc',
        'webhook-dispatcher > auth :http',
        'clients:true worker:true > integrations :grpc',
        'clients:true producer:true > webhook-dispatcher :grpc',
        'monitoring:true > role:service :http',
        'monitoring:true > gateway :metrics',
        'postgres:client > postgres:true :5432',
        'kafka:client > kafka:true :9093',
        'any > kube-system kube-dns :53',
        'any > kube-system kube-dns :53',
        'auth > 0.0.0.0/0 :465',
        'auth > 0.0.0.0/0 :587',
        'auth > 2000::/3 :465',
        'auth > 2000::/3 :587',
        'integrations > 0.0.0.0/0 :443',
        'integrations > 2000::/3 :443',
        'webhook-dispatcher > 0.0.0.0/0 :any',
        'webhook-dispatcher > 2000::/3 :any',
      ].sort(),
    );
  });

  it('leads to no special address outside', () => {
    const blocks = policies
      .flatMap(({ egress = [] }) => egress.flatMap(({ to = [] }) => to))
      .flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : []));
    expect(blocks).toHaveLength(6);
    for (const block of blocks) {
      const family = familyOf(block.cidr);
      const excepted = new BlockList();
      for (const range of block.except) {
        const [network = '', prefix] = range.split('/');
        excepted.addSubnet(network, Number(prefix), family);
      }
      const reached = (addresses: readonly string[]) =>
        addresses.filter((one) => familyOf(one) === family && !excepted.check(one, family));
      expect(reached(SPECIAL)).toEqual([]);
      expect(reached(PUBLIC)).toEqual(PUBLIC.filter((one) => familyOf(one) === family));
    }
  });
});

it('opens to private receivers in development alone', () => {
  const everywhere = ({ egress = [] }: Policy) =>
    egress.some(({ to, ports }) => to === undefined && ports === undefined);
  expect(policiesOf('development').filter(everywhere)).toEqual([
    expect.objectContaining({ podSelector: selecting('webhook-dispatcher') }),
  ]);
  expect(policiesOf('production').filter(everywhere)).toEqual([]);
});

function policiesOf(overlay: string): readonly Policy[] {
  const manifests = parseManifests(buildOverlay(overlay));
  return ofKind(manifests, 'NetworkPolicy').map(({ spec }) => spec as Policy);
}

const selecting = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });

/** Returns one line for each pair of peers and each port: `integrations > auth :7101`. */
function arrowsOf({ podSelector, ingress = [], egress = [] }: Policy): readonly string[] {
  const self = inWords({ podSelector });
  const each = ({ ports = [] }: Rule, ends: readonly string[]) =>
    ends.flatMap((end) => ports.map(({ port = 'any' }) => `${end} :${port}`));
  return [
    ...ingress.flatMap((rule) =>
      each(
        rule,
        fromOf(rule).map((peer) => `${peer} > ${self}`),
      ),
    ),
    ...egress.flatMap((rule) =>
      each(
        rule,
        toOf(rule).map((peer) => `${self} > ${peer}`),
      ),
    ),
  ];
}

const fromOf = ({ from = [{}] }: Rule) => from.map(inWords);
const toOf = ({ to = [{}] }: Rule) => to.map(inWords);

function inWords({ namespaceSelector, podSelector, ipBlock }: Peer): string {
  const labels = [namespaceSelector, podSelector].flatMap((selector) =>
    Object.entries(selector?.matchLabels ?? {}),
  );
  const words = labels.map(([name, value]) =>
    name.startsWith('junction.dev/') ? `${name.slice('junction.dev/'.length)}:${value}` : value,
  );
  return [...words, ...(ipBlock ? [ipBlock.cidr] : [])].join(' ') || 'any';
}

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Addresses that must not be reached: one of each special range (RFC 6890) within the blocks that are allowed. */
const SPECIAL = `
  0.0.0.1 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.0.0.8 192.0.2.1 192.88.99.1
  192.168.0.1 198.19.0.1 198.51.100.1 203.0.113.1 224.0.0.1 255.255.255.255
  2001::1 2001:10::1 2001:20::1 2001:db8::1 2002:a00:1:: 3fff::1`
  .trim()
  .split(/\s+/);
const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2001:4860:4860::8888', '2606:4700::1111'];
