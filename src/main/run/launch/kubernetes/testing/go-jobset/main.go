// JobSet for tests, from its published module: its controller and the webhooks by which it judges JobSets, for the API server that
// KUBECONFIG names, on the same machine. It registers the webhooks itself, with a certificate of its own.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/controllers"
	"sigs.k8s.io/jobset/pkg/webhooks"
)

const port = 9443

// certificate writes tls.crt and tls.key, and returns what the API server trusts.
func certificate(folder string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "jobset"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	private := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})
	if err := os.WriteFile(filepath.Join(folder, "tls.crt"), public, 0o600); err != nil {
		return nil, err
	}
	return public, os.WriteFile(filepath.Join(folder, "tls.key"), private, 0o600)
}

// register adds the webhooks to the API server's configuration, as JobSet's own manifests do.
func register(ctx context.Context, api client.Client, authority []byte) error {
	at := func(path string) admission.WebhookClientConfig {
		url := fmt.Sprintf("https://127.0.0.1:%d/%s-jobset-x-k8s-io-v1alpha2-jobset", port, path)
		return admission.WebhookClientConfig{URL: &url, CABundle: authority}
	}
	rules := func(operations ...admission.OperationType) []admission.RuleWithOperations {
		resources := admission.Rule{
			APIGroups:   []string{jobset.GroupVersion.Group},
			APIVersions: []string{jobset.GroupVersion.Version},
			Resources:   []string{"jobsets"},
		}
		return []admission.RuleWithOperations{{Operations: operations, Rule: resources}}
	}
	none := admission.SideEffectClassNone
	fail := admission.Fail
	mutating := admission.MutatingWebhookConfiguration{
		ObjectMeta: meta.ObjectMeta{Name: "jobset"},
		Webhooks: []admission.MutatingWebhook{{
			Name:                    "mjobset.kb.io",
			ClientConfig:            at("mutate"),
			Rules:                   rules(admission.Create),
			SideEffects:             &none,
			FailurePolicy:           &fail,
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	validating := admission.ValidatingWebhookConfiguration{
		ObjectMeta: meta.ObjectMeta{Name: "jobset"},
		Webhooks: []admission.ValidatingWebhook{{
			Name:                    "vjobset.kb.io",
			ClientConfig:            at("validate"),
			Rules:                   rules(admission.Create, admission.Update),
			SideEffects:             &none,
			FailurePolicy:           &fail,
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
	if err := api.Create(ctx, &mutating); err != nil {
		return err
	}
	return api.Create(ctx, &validating)
}

func run() error {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(jobset.AddToScheme(scheme))
	ctrl.SetLogger(zap.New())
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "jobset")
	if err != nil {
		return err
	}
	authority, err := certificate(folder)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		WebhookServer:          webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: folder}),
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if err := controllers.SetupJobSetIndexes(ctx, manager.GetFieldIndexer()); err != nil {
		return err
	}
	recorder := manager.GetEventRecorderFor("jobset")
	sets := controllers.NewJobSetReconciler(manager.GetClient(), manager.GetScheme(), recorder)
	if err := sets.SetupWithManager(manager); err != nil {
		return err
	}
	hook, err := webhooks.NewJobSetWebhook(manager.GetClient())
	if err != nil {
		return err
	}
	if err := hook.SetupWebhookWithManager(manager); err != nil {
		return err
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	if err := register(ctx, direct, authority); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
