# The action's image: one static binary on an empty base.
#
# Release builds pin both bases by digest, which a tag does not:
#   docker build --build-arg GO_IMAGE=golang:1.26@sha256:… \
#                --build-arg BASE_IMAGE=gcr.io/distroless/static-debian12:latest@sha256:… .
ARG GO_IMAGE=docker.io/library/golang:1.26
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:latest

# The build runs on the machine's own platform and makes the binary for the
# image's, so that none is emulated.
FROM --platform=${BUILDPLATFORM} ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS=linux
ARG TARGETARCH
ARG VERSION=
ARG GO_TOOLCHAIN=
# As release/build does it, with the same Go, whichever patch the base has: a release's
# image holds the release's binary.
RUN export GOTOOLCHAIN=${GO_TOOLCHAIN:-go$(release/go-version)} && \
    go run ./release/licenses gather /licenses && \
    CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false -overlay /licenses/overlay.json -o /breadcrumb \
    -ldflags "-s -w -X github.com/breadcrumb/action/internal/cli.released=${VERSION}" .

# The base brings the CA certificates and nothing to run.
FROM --platform=${TARGETPLATFORM} ${BASE_IMAGE}
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Breadcrumb" \
      org.opencontainers.image.description="Keeps browser tests honest: flaky tests do not block, regressions do, healed locators come as patches" \
      org.opencontainers.image.source="https://github.com/breadcrumb/action" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /breadcrumb /breadcrumb
COPY --from=build /licenses/LICENSES /src/LICENSE /
# Root, because the runner's user owns the workspace and the command files that
# GitHub mounts, whatever its id is.
USER 0
ENTRYPOINT ["/breadcrumb"]
