import path from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = path.join(process.env.E2E_MODULES, '@actions/artifact/lib/artifact.js');
const { DefaultArtifactClient } = await import(pathToFileURL(modules));

const [repositoryOwner, repositoryName] = process.env.GITHUB_REPOSITORY.split('/');
const token = process.env['INPUT_GITHUB-TOKEN']; // without one the run's own artifacts are meant
const options = token ? { findBy: { repositoryOwner, repositoryName, token, workflowRunId: Number(process.env['INPUT_RUN-ID']) } } : {};
const client = new DefaultArtifactClient();
const to = path.join(process.env.GITHUB_WORKSPACE, process.env.INPUT_PATH);

async function download(artifact, to) {
  const got = await client.downloadArtifact(artifact.id, { path: to, expectedHash: artifact.digest, ...options });
  if (got.digestMismatch) throw new Error('the digest differs');
}

const prefix = process.env.INPUT_PATTERN?.replace(/\*$/, '');
if (process.env.INPUT_NAME) {
  await download((await client.getArtifact(process.env.INPUT_NAME, options)).artifact, to);
} else { // each into a folder of its name
  const { artifacts } = await client.listArtifacts({ ...options, latest: true });
  for (const artifact of artifacts.filter(({ name }) => name.startsWith(prefix))) await download(artifact, path.join(to, artifact.name));
}
